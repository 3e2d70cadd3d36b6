'use strict';

const { PlinthError } = require('./control.js');
const { Instance } = require('./instance.js');
const { startServer } = require('./server.js');

/** Starts a server, or connects to the one at `url`, and resolves with a handle once it accepts requests. */
async function plinth(options = {}) {
  const { namespace, url, controlUrl, controlToken, Octokit, ...start } = options;
  if (Boolean(controlUrl) !== Boolean(controlToken)) {
    throw new TypeError('plinth: controlUrl and controlToken belong together: the interface at --control requires a token');
  }
  if (controlUrl && !url) throw new TypeError('plinth: controlUrl is for a server that runs already, at `url`');
  const server = url ? { url, controlUrl, controlToken } : await startServer(start);
  const root = new Instance({ ...server, Octokit });
  if (!namespace) return root;
  try {
    const instance = await root.namespace(namespace === true ? {} : { name: namespace });
    // Nobody else has a handle of the server.
    return instance.withStop(() => root.stop());
  } catch (error) {
    await root.stop();
    throw error;
  }
}

module.exports = { plinth, PlinthError };
