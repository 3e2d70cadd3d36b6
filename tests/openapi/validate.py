"""Validates /openapi.json with an independent validator, and its examples with its own schemas.

    PLINTH=target/debug/plinth python3 validate.py
"""

import json
import os
import subprocess
import sys
import urllib.request

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS_MIN = 15


def fetch():
    """The document, from a service started for this purpose."""
    command = [os.environ["PLINTH"], "serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(server.stdout.readline())["url"]
        with urllib.request.urlopen(f"{url}/openapi.json", timeout=30) as response:
            return json.load(response)
    finally:
        server.terminate()
        server.wait(timeout=30)


def problems(document):
    """All problems, as messages."""
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        yield f"not OpenAPI 3.1 at {'/'.join(map(str, error.absolute_path))}: {error.message}"
    operations = [(path, method, item[method]) for path, item in document["paths"].items() for method in METHODS if method in item]
    if len(operations) < OPERATIONS_MIN:
        yield f"only {len(operations)} operations"
    resource = Resource(contents=document, specification=DRAFT202012)
    registry = Registry().with_resource("urn:description", resource)

    def mismatches(schema, example):
        # References in the document are relative to it.
        text = json.dumps(schema).replace('"#/', '"urn:description#/')
        return [error.message for error in Draft202012Validator(json.loads(text), registry=registry).iter_errors(example)]

    for path, method, operation in operations:
        for parameter in operation["parameters"]:
            if "example" in parameter:
                for message in mismatches(parameter["schema"], parameter["example"]):
                    yield f"{method} {path}: the example of {parameter['name']}: {message}"
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if "example" in content:
                for message in mismatches(content["schema"], content["example"]):
                    yield f"{method} {path}: the example of the body: {message}"


def main():
    document = fetch()
    found = list(problems(document))
    for problem in found:
        print(problem)
    print(f"{len(document['paths'])} paths, {len(found)} problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
