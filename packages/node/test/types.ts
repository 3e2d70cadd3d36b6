// Compiled, not run: the types of the package fit its use.
import { plinth, PlinthError, type LoggedRequest, type Plinth } from 'plinth';
import start from 'plinth';
import cjs = require('plinth');

export async function use(): Promise<void> {
  await using github: Plinth = await plinth({ state: new URL('state.yaml', 'file:///'), namespace: true });
  const { data } = await github.octokit('mona').rest.users.getAuthenticated();
  const login: string = data.login;
  const now: Date = await github.clock.advance({ minutes: 1 });
  await github.faults.add({ match: { token: login }, respond: { status: 502, body: { message: now.toISOString() } } });
  const seen: LoggedRequest = await github.requests.wait({ operation: 'users/get-authenticated' }, { timeout: 100 });
  const caller: string | undefined = seen.caller?.name;
  // @ts-expect-error: there is no such effect
  await github.faults.add({ explode: true });
  // @ts-expect-error: there is no such option
  await start({ stat: '' });
  const container: Plinth = await plinth({ url: 'http://plinth:8080', controlUrl: 'http://plinth:8081', controlToken: 'forTestsOnly' });
  const token: string | undefined = container.controlToken;
  // @ts-expect-error: a token is a text
  await plinth({ url: token, controlToken: 1 });
  const other = await cjs.plinth({ state: { users: [{ login: caller }] } });
  await other.stop().catch((error: unknown) => error instanceof PlinthError && error.status);
}
