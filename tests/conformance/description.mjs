// GitHub's own description of its API, as far as the operations here go: what may be answered, and in which shape.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const document = JSON.parse(readFileSync(new URL('node_modules/@octokit/openapi/generated/api.github.com.json', import.meta.url)));
const ajv = addFormats(new Ajv({ allErrors: true, verbose: true, strict: true, strictTypes: false, strictRequired: false }), ['date', 'date-time', 'uri']);

/** Kept as they are. */
const RULES = ['type', 'required', 'enum', 'minLength', 'maxLength'];
/** Kept, with the schemas in them made into JSON Schema as well. */
const [SCHEMA, SCHEMAS, NAMED] = [['items', 'not', 'additionalProperties'], ['allOf', 'anyOf', 'oneOf'], ['properties']];
/** About no value. */
const REMARKS = ['title', 'description', 'example', 'examples', 'default', 'deprecated', 'nullable', 'format', 'x-github-breaking-changes'];
/** `int64` is an integer of JavaScript as far as our numbers go. */
const FORMATS = { date: 'date', 'date-time': 'date-time', uri: 'uri', int64: undefined };

/** The answers of an operation by status: a judge of the body, or `null` where none is described. */
export function answersOf({ operation, method, path }) {
  const described = document.paths[path]?.[method.toLowerCase()];
  if (described?.operationId !== operation) throw new Error(`GitHub describes no ${operation} at ${method} ${path}`);
  return new Map(Object.entries(described.responses).map(([status, response]) => {
    const schema = resolve(response).content?.['application/json']?.schema;
    return [Number(status), schema ? judge(schema) : null];
  }));
}

/** The judge of a schema that GitHub has under this name. */
export function named(name) {
  return judge({ $ref: `#/components/schemas/${name}` });
}

const judges = new Map();

/** Tells what is wrong with a value: the place, with `*` for each index, what is there, and the rule that it breaks. */
function judge(schema) {
  const text = JSON.stringify(schema);
  if (!judges.has(text)) judges.set(text, ajv.compile(converted(schema)));
  const validate = judges.get(text);
  return (value) => (validate(value) ? [] : validate.errors.map(problem));
}

function problem({ instancePath, keyword, params, message, data: value }) {
  const missing = keyword === 'required' ? `/${params.missingProperty}` : '';
  return { place: `${instancePath.replace(/\/\d+(?=\/|$)/g, '/*')}${missing}`, rule: keyword, message, value };
}

function resolve(node) {
  if (!node.$ref) return node;
  return resolve(node.$ref.slice(2).split('/').reduce((at, key) => at[key], document));
}

/** OpenAPI 3.0 as JSON Schema. A keyword that is not known here stops the check, so that no rule is lost unseen. */
function converted(described) {
  const node = resolve(described);
  const schema = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (RULES.includes(keyword)) schema[keyword] = value;
    else if (SCHEMAS.includes(keyword)) schema[keyword] = value.map(converted);
    else if (SCHEMA.includes(keyword)) schema[keyword] = typeof value === 'boolean' ? value : converted(value);
    else if (NAMED.includes(keyword)) schema[keyword] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, converted(part)]));
    else if (!REMARKS.includes(keyword)) throw new Error(`GitHub's description uses ${keyword}, which is not understood here`);
  }
  if (node.format && !(node.format in FORMATS)) throw new Error(`GitHub's description uses the format ${node.format}`);
  if (node.format && FORMATS[node.format]) schema.format = FORMATS[node.format];
  return node.nullable ? { if: { not: { type: 'null' } }, then: schema } : schema;
}
