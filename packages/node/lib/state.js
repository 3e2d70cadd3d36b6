'use strict';

const { fileURLToPath } = require('node:url');

/** The path of a state file; nothing if the state itself was passed. */
function statePath(state) {
  if (state instanceof URL) return fileURLToPath(state);
  // Every state file has more than one line or a colon with a space, unlike usual paths.
  if (typeof state === 'string' && !/\n|:\s|:$/.test(state)) return state;
  return undefined;
}

/** A state as YAML, of which JSON is a part. */
function stateText(state) {
  return typeof state === 'string' ? state : JSON.stringify(state);
}

module.exports = { statePath, stateText };
