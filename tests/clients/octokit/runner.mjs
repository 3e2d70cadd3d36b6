// Runs test cases one after the other, each printed as cargo prints its tests.
const SHOWN_MAX = 1_000;
let passed = 0;
let failed = 0;

export async function run(cases) {
  for (const [name, test] of Object.entries(cases)) {
    try {
      await test();
      passed += 1;
      console.log(`test ${name} ... ok`);
    } catch (error) {
      failed += 1;
      console.log(`test ${name} ... FAILED\n${error.stack}\n${JSON.stringify(error.response?.data ?? '').slice(0, SHOWN_MAX)}`);
    }
  }
}

/** Prints the line that is counted; call it last. */
export function report() {
  console.log(`test result: ${failed ? 'FAILED' : 'ok'}. ${passed} passed; ${failed} failed; 0 ignored`);
  process.exitCode = failed ? 1 : 0;
}
