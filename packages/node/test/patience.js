import { setTimeout } from 'node:timers/promises';

/** Repeats an action that met a rate limit, when the limit has passed. */
export async function patiently(action, sleep = (seconds) => setTimeout(seconds * 1000)) {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const seconds = secondsToWait(error.response?.headers ?? {});
      if (seconds === undefined) throw error;
      await sleep(seconds);
    }
  }
}

function secondsToWait(headers) {
  if (headers['retry-after']) return Number(headers['retry-after']);
  if (headers['x-ratelimit-remaining'] === '0') return Number(headers['x-ratelimit-reset']) - Date.parse(headers.date) / 1000;
  return undefined;
}
