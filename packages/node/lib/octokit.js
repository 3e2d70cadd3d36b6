'use strict';

const { createRequire } = require('node:module');

/** The first that is installed is used. */
const PACKAGES = ['octokit', '@octokit/rest', '@octokit/core'];
const OPTION = 'pass the class as the option `Octokit`';
const TOKEN = /^(gh[a-z]_|github_pat_|eyJ)/;

function isToken(text) {
  return TOKEN.test(text);
}

/** A client without waits between requests and without retries, so that tests are fast and see every error. */
function createOctokit({ url, userOrToken, token, options }) {
  const { Octokit = findOctokit(), ...others } = options;
  const authentication = !userOrToken ? {}
    : isToken(userOrToken) ? { auth: userOrToken }
      : { authStrategy: ofUser, auth: { token: () => token(userOrToken) } };
  return new Octokit({ baseUrl: url, throttle: { enabled: false }, retry: { enabled: false }, ...authentication, ...others });
}

/** Authentication with a token that is created when it is first needed. */
function ofUser({ token }) {
  const authenticate = async () => ({ type: 'token', tokenType: 'oauth', token: await token() });
  const hook = async (request, route, parameters) => {
    const endpoint = request.endpoint.merge(route, parameters);
    endpoint.headers.authorization = `token ${await token()}`;
    return request(endpoint);
  };
  return Object.assign(authenticate, { hook });
}

function findOctokit() {
  const requires = [createRequire(__filename), createRequire(`${process.cwd()}/`)];
  for (const name of PACKAGES) {
    for (const load of requires) {
      try {
        return load(name).Octokit;
      } catch (error) {
        // Jest has a `require` of its own, which does not load ES modules.
        if (error.code === 'ERR_REQUIRE_ESM') throw new Error(`plinth: ${name} cannot be loaded here; ${OPTION}`, { cause: error });
        if (error.code !== 'MODULE_NOT_FOUND') throw error;
      }
    }
  }
  throw new Error(`plinth: install one of ${PACKAGES.join(', ')}, or ${OPTION}`);
}

module.exports = { createOctokit };
