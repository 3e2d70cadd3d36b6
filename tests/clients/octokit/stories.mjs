// Tells stories one after the other, each in a line as cargo writes it.
const SHOWN_MAX = 1_000;
let passed = 0;
let failed = 0;

export async function tell(stories) {
  for (const [name, story] of Object.entries(stories)) {
    try {
      await story();
      passed += 1;
      console.log(`test ${name} ... ok`);
    } catch (error) {
      failed += 1;
      console.log(`test ${name} ... FAILED\n${error.stack}\n${JSON.stringify(error.response?.data ?? '').slice(0, SHOWN_MAX)}`);
    }
  }
}

/** The line that is counted; to be the last. */
export function report() {
  console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored`);
  process.exitCode = failed ? 1 : 0;
}
