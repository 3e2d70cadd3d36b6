"""Builds the wheel: python build.py [--binary FILE] [--out DIRECTORY] [--level 0..9]

Without --binary, maturin compiles the service in the profile dist, which takes minutes; it must be installed
(`pip install maturin`). With --binary, the wheel contains that program, and only Python is needed. Prints the wheel's path.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT")


def main() -> None:
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path)
    parser.add_argument("--out", type=Path, default=target / "packages/python")
    parser.add_argument("--level", type=int, default=9, help="of the compression")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    if options.binary:
        write_wheel(options.binary, options.out, options.level)
    else:
        subprocess.run([sys.executable, "-m", "maturin", "build", "--out", options.out.resolve()], cwd=HERE, check=True)
    for wheel in options.out.glob("*.whl"):
        print(wheel)


def write_wheel(binary: Path, out: Path, level: int) -> None:
    """Writes what maturin writes, around a program that exists already."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    information = f"{name}.dist-info"
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "plinth"
        shutil.copy(binary, program)
        # Without debug information, the size of a debug build is half; the profile dist has none.
        if shutil.which("strip"):
            subprocess.run(["strip", program], check=False)
        files = {f"{name}.data/scripts/plinth": program.read_bytes()}
    for source in sorted((HERE / "src").rglob("*")):
        if source.is_file() and "__pycache__" not in source.parts:
            files[source.relative_to(HERE / "src").as_posix()] = source.read_bytes()
    for license in LICENSES:
        files[f"{information}/licenses/{license}"] = (ROOT / license).read_bytes()
    files[f"{information}/METADATA"] = metadata(project).encode()
    files[f"{information}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: build.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{information}/entry_points.txt"] = entry_points(project).encode()
    record = [f"{path},sha256={digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,\n"]).encode()
    with zipfile.ZipFile(out / f"{name}-{tag}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=level) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            mode = 0o755 if ".data/scripts/" in path else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=level)


def metadata(project: dict) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"License-File: {license}" for license in LICENSES),
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text()]
    return "\n".join(lines)


def entry_points(project: dict) -> str:
    groups = project["entry-points"].items()
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items()) for group, entries in groups)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


if __name__ == "__main__":
    main()
