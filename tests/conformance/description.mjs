// GitHub's own OpenAPI description: the statuses and body schemas of each operation.
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const document = JSON.parse(readFileSync(new URL('node_modules/@octokit/openapi/generated/api.github.com.json', import.meta.url)));
const ajv = addFormats(new Ajv({ allErrors: true, verbose: true, strict: true, strictTypes: false, strictRequired: false }), ['date', 'date-time', 'uri']);

/** Copied unchanged. */
const RULES = ['type', 'required', 'enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'];
/** Copied with their schemas converted to JSON Schema. */
const [SCHEMA, SCHEMAS, NAMED] = [['items', 'not', 'additionalProperties'], ['allOf', 'anyOf', 'oneOf'], ['properties']];
/** Keywords that do not constrain values. */
const ANNOTATIONS = ['title', 'description', 'example', 'examples', 'default', 'deprecated', 'nullable', 'format', 'discriminator', 'x-github-breaking-changes'];
/** Our numbers fit into the integers of JavaScript, so `int64` needs no check. */
const FORMATS = { date: 'date', 'date-time': 'date-time', uri: 'uri', int64: undefined };

/** A media type with a schema of its own. */
const OBJECT = { type: 'application/vnd.github.object', parameter: 'param=object;' };

/** The responses of an operation by status: a validator of the body and its media type, or `null` if no schema is described. */
export function responsesOf({ operation, method, path }) {
  const described = document.paths[path]?.[method.toLowerCase()];
  if (described?.operationId !== operation) throw new Error(`GitHub describes no ${operation} at ${method} ${path}`);
  return new Map(Object.entries(described.responses).map(([status, response]) => {
    const content = resolve(response).content ?? {};
    const schema = content['application/json']?.schema;
    const object = content[OBJECT.type]?.schema ?? schema;
    return [Number(status), schema ? (value, media) => validator(media?.includes(OBJECT.parameter) ? object : schema)(value) : null];
  }));
}

/** The validator of a schema by its name. */
export function named(name) {
  return validator({ $ref: `#/components/schemas/${name}` });
}

const validators = new Map();

/** Returns the problems of a value: its path, with `*` for each index, the value, and the rule that it breaks. */
function validator(schema) {
  const text = JSON.stringify(schema);
  if (!validators.has(text)) validators.set(text, ajv.compile(converted(schema)));
  const validate = validators.get(text);
  // The errors of `then` say what is wrong.
  return (value) => (validate(value) ? [] : validate.errors.filter(({ keyword }) => keyword !== 'if').map(problem));
}

function problem({ instancePath, keyword, params, message, data: value }) {
  const missing = keyword === 'required' ? `/${params.missingProperty}` : '';
  return { path: `${instancePath.replace(/\/\d+(?=\/|$)/g, '/*')}${missing}`, rule: keyword, message, value };
}

function resolve(node) {
  if (!node.$ref) return node;
  return resolve(node.$ref.slice(2).split('/').reduce((at, key) => at[key], document));
}

/** Every issue and every pull request is a valid draft issue, too: no value matches only one of the three. */
function isLoose(keyword, parts) {
  return keyword === 'oneOf' && parts.some(({ $ref }) => $ref === '#/components/schemas/projects-v2-draft-issue');
}

/** OpenAPI 3.0 as JSON Schema. An unknown keyword stops the check, so that no rule is skipped. */
function converted(described) {
  const { discriminator, ...node } = resolve(described);
  if (discriminator) return discriminated(discriminator);
  const schema = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (RULES.includes(keyword)) schema[keyword] = value;
    else if (SCHEMAS.includes(keyword)) schema[isLoose(keyword, value) ? 'anyOf' : keyword] = value.map(converted);
    else if (SCHEMA.includes(keyword)) schema[keyword] = typeof value === 'boolean' ? value : converted(value);
    else if (NAMED.includes(keyword)) schema[keyword] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, converted(part)]));
    else if (!ANNOTATIONS.includes(keyword)) throw new Error(`GitHub's description uses ${keyword}, which this check does not support`);
  }
  if (node.format && !(node.format in FORMATS)) throw new Error(`GitHub's description uses the format ${node.format}`);
  if (node.format && FORMATS[node.format]) schema.format = FORMATS[node.format];
  return node.nullable ? { if: { not: { type: 'null' } }, then: schema } : schema;
}

/** The schema that the value of a property names. Errors are those of that schema only, where `oneOf` reports those of all. */
function discriminated({ propertyName, mapping }) {
  const cases = Object.entries(mapping).map(([word, $ref]) => {
    const named = { type: 'object', required: [propertyName], properties: { [propertyName]: { const: word } } };
    return { if: word === 'array' ? { type: 'array' } : named, then: converted({ $ref }) };
  });
  return { allOf: [{ anyOf: cases.map((each) => each.if) }, ...cases] };
}
