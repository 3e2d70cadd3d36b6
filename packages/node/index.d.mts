export * from './index.js';
export { plinth as default } from './index.js';
