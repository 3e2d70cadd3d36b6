import api from './lib/index.js';

export const { plinth, PlinthError } = api;
export default plinth;
