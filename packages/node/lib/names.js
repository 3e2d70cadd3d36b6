'use strict';

/** `rateLimit` to `rate_limit`, only for the names of the object itself: what is below is sent as it is. */
function toWire(object) {
  return renamed(object, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function fromWire(object) {
  return renamed(object, (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));
}

function renamed(object, rename) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}

module.exports = { fromWire, toWire };
