'use strict';

const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

/** The path of the program: the option, the variable PLINTH, the package of this platform, or PATH. */
function findBinary(option) {
  if (option) return option;
  if (process.env.PLINTH) return process.env.PLINTH;
  const found = ofPlatformPackage() ?? ofPath();
  if (found) return found;
  throw new Error(`plinth: no program for ${platform()}. The package @plinth/${platform()} is not installed: install without `
    + '--omit=optional, or pass the option `binary`, or set the variable PLINTH to the path of the program, or add it to PATH.');
}

function platform() {
  return `${process.platform}-${process.arch}`;
}

function ofPlatformPackage() {
  try {
    return require.resolve(`@plinth/${platform()}/bin/plinth`);
  } catch {
    return undefined;
  }
}

function ofPath() {
  const candidates = (process.env.PATH ?? '').split(delimiter).filter(Boolean).map((directory) => join(directory, 'plinth'));
  // npm puts the launcher of this package into PATH, which would start itself.
  return candidates.find((file) => isExecutable(file) && !file.includes('node_modules'));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

module.exports = { findBinary };
