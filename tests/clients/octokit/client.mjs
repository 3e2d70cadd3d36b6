// The client under test, as published: only its base URL is ours.
//
// `octokit` includes plugins for pagination, retries and throttling. Its typed methods lag behind the API, so the newest release of
// the plugin with these methods replaces them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods';
import { App, Octokit as Bundled, RequestError } from 'octokit';

export const url = process.env.PLINTH_URL;
export const hello = { owner: 'octo-org', repo: 'hello' };
export const refs = { owner: 'octo-org', repo: 'refs' };

/** Warnings of the client, such as deprecations. */
export const warnings = [];
const log = { debug() {}, info() {}, warn: (text) => warnings.push(String(text)), error: (text) => warnings.push(String(text)) };

export const Octokit = Bundled.plugin(restEndpointMethods).defaults({ baseUrl: url, log });

/** The tokens of state.yaml. */
export const tokens = {
  mona: 'ghp_monaEverything',
  monaWithoutScopes: 'ghp_monaNoScope',
  hubot: 'ghp_hubotMember',
  stranger: 'ghp_strangerNobody',
  monaByOAuth: 'gho_monaEverything',
  hubotFineGrained: 'github_pat_hubotWrites',
  hubotReading: 'github_pat_hubotReads',
  monaThroughApp: 'ghu_monaThroughHelper',
  hubotThroughApp: 'ghu_hubotThroughHelper',
  octoOrgInstallation: 'ghs_helperOnOctoOrg',
  sideOrgInstallation: 'ghs_helperOnSideOrg',
};

let clients = 0;

/** A client with its own throttling: one client waits a second between writes, and three between those that notify people. */
export function as(name, { throttle, ...options } = {}) {
  clients += 1;
  const auth = name === 'nobody' ? undefined : tokens[name];
  const limited = (seconds, { method, url }) => warnings.push(`limited: ${method} ${url}`) && false;
  return new Octokit({ auth, ...options, throttle: { id: `client-${clients}`, onRateLimit: limited, onSecondaryRateLimit: limited, ...throttle } });
}

/** The app of state.yaml, identified by its id or by its client id. */
export function app(appId = process.env.PLINTH_APP_ID, privateKey = readFileSync(process.env.PLINTH_APP_KEY, 'utf8')) {
  return new App({ appId, privateKey, Octokit, log });
}

/** The error with which the client reports an error response: the status and the exact message. */
export async function assertError(promise, status, message) {
  const error = await promise.then(
    (response) => assert.fail(`expected ${status}, got ${response.status}: ${JSON.stringify(response.data).slice(0, 1_000)}`),
    (error) => error,
  );
  if (!(error instanceof RequestError)) throw error;
  assert.deepEqual({ status: error.status, message: error.response?.data?.message ?? '' }, { status, message });
  if (status !== 304) {
    assert.equal(error.response.data.status, String(status));
    assert.ok(error.response.data.documentation_url.startsWith(`${url}/docs`), error.response.data.documentation_url);
  }
  return error;
}

/** Sends the request twice, the second time with the entity tag of the first response. */
export async function assertNotModified(method, parameters) {
  const first = await method(parameters);
  assert.match(first.headers.etag, /^(W\/)?"[0-9a-f]{64}"$/);
  const error = await assertError(method({ ...parameters, headers: { 'if-none-match': first.headers.etag } }), 304, '');
  assert.equal(error.response.headers.etag.replace('W/', ''), first.headers.etag.replace('W/', ''));
  return first;
}
