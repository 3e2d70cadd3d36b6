// Without octokit, clients have the type `any`.
// @ts-ignore
import type { Octokit as InstalledOctokit } from 'octokit';

/** A path, a file URL, YAML text, or the content of a state file as an object. */
export type State = string | URL | object;
export type Time = Date | string | number;

export interface Options {
  /** The initial data, to which every reset returns. */
  state?: State;
  /** The path of the program, instead of the variable PLINTH, the package of the platform, and PATH. */
  binary?: string;
  /** Additional flags of `plinth serve`, such as `['--limits', 'true', '--requests-per-hour', '3']`. */
  args?: string[];
  /** The class of the clients, instead of that of `octokit`, `@octokit/rest` or `@octokit/core`; for example with plugins. */
  Octokit?: new (options: any) => any;
  /** Whether the server's log is printed. */
  log?: boolean;
  /** Connects to this server instead of starting one. */
  url?: string;
  /** With `url`: where its control interface is, if it was started with `--control`, such as a server in a container. */
  controlUrl?: string;
  /** The token of `--control-token`, which belongs to `controlUrl`. */
  controlToken?: string;
  /** Returns a new namespace of the server instead of the server itself; `true` for a name that nobody uses. */
  namespace?: string | true;
}

/** Starts a server that ends with this process, and resolves once it accepts requests. */
export function plinth(options?: Options): Promise<Plinth>;

/** A server, or a namespace of one. */
export interface Plinth extends AsyncDisposable {
  /** The base URL for clients. */
  readonly url: string;
  /** Where the control interface is, if it is not at `url`, and its token. */
  readonly controlUrl: string | undefined;
  readonly controlToken: string | undefined;
  /** Where the paths in the state begin, such as the private keys of apps. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly deliveries: Deliveries;
  /**
   * A client of a user of the state, with all scopes, or of a token, or without authentication. It neither waits between
   * requests nor retries unless `options` say so, which are those of Octokit.
   */
  octokit<Client = InstalledOctokit>(userOrToken?: string, options?: OctokitOptions<Client>): Client;
  /** A classic token of a user of the state, with all scopes by default; the same again after a reset. */
  token(user: string, options?: { scopes?: string[]; expiresAt?: Time }): Promise<string>;
  /** Returns to the initial state, and clears the faults and the log of requests. */
  reset(): Promise<void>;
  /** Saves the present state, with its clock. */
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Everything that the server has, with ids, times and tokens, to save and to start or apply again. */
  export(): Promise<Record<string, unknown>>;
  /** Adds what the state describes, and resolves with a line for each change. */
  apply(state: State): Promise<string[]>;
  /** Creates an isolated instance in the same process, in the initial state or in that of a snapshot. */
  namespace(options?: { name?: string; snapshot?: string }): Promise<Plinth>;
  /** Stops the server, or removes the namespace. */
  stop(): Promise<void>;
}

export type OctokitOptions<Client> = { Octokit?: new (options: any) => Client; [option: string]: unknown };

export interface Clock {
  now(): Promise<Date>;
  set(time: Time): Promise<Date>;
  /** Seconds, or a sum of units. */
  advance(time: number | { days?: number; hours?: number; minutes?: number; seconds?: number }): Promise<Date>;
  /** Stops the clock, at the present time or at another. */
  freeze(time?: Time): Promise<Date>;
  resume(): Promise<Date>;
}

export interface RequestPattern {
  method?: string;
  /** `*` stands for anything within a part of the path, `**` for anything. */
  path?: string;
  /** As in GitHub's documentation, such as `issues/create-comment`. */
  operation?: string;
}

/** A rule about requests or about webhooks. Only one effect is possible, besides a delay of a request. */
export interface Fault {
  /** The requests that it is about; all by default. */
  match?: RequestPattern & { token?: string };
  /** How many requests it affects: 1 by default, or any number with a probability. */
  times?: number;
  probability?: number;
  seed?: number;
  delayMs?: number;
  /** This response, and the request changes nothing. A text is sent as it is, anything else as JSON. */
  respond?: { status: number; headers?: Record<string, string>; body?: unknown };
  /** GitHub's response of a rate limit, and the request changes nothing. */
  rateLimit?: 'primary' | 'secondary';
  /** The connection is closed without a response, and the request changes nothing. */
  close?: boolean;
  /** The request is processed, and the connection is closed after so many bytes of the response's body. */
  truncateAt?: number;
  /** The request is processed, and its response is sent after the webhooks that it causes. */
  afterDeliveries?: boolean;
  /** The webhooks that it is about, instead of requests; with `deliver` or `delayMs`. */
  webhook?: { event?: string };
  deliver?: 'lost' | 'duplicated' | 'reordered';
}

export interface Faults {
  add(fault: Fault): Promise<AddedFault>;
  list(): Promise<AddedFault[]>;
  clear(): Promise<void>;
}

/** `used` counts the requests or webhooks that it has affected. */
export type AddedFault = Fault & { id: number; used: number };

export interface RequestFilter extends RequestPattern {
  status?: number;
  /** Only requests with a higher id. */
  after?: number;
  /** Only requests that no route matches. */
  unmatched?: boolean;
}

export interface LoggedRequest {
  id: number;
  at: string;
  method: string;
  path: string;
  query?: string;
  /** Nothing if no route matches. */
  operation: string | null;
  route: string | null;
  /** Nothing without a valid credential. */
  caller: { name: string; credential: string } | null;
  /** Nothing if the connection was closed. */
  status: number | null;
  durationMs: number;
  /** The id of the fault that affected it. */
  fault: number | null;
  body?: any;
  /** For a request without a route: the operation with the most similar path. */
  nearest?: string;
}

export interface Requests {
  list(filter?: RequestFilter): Promise<LoggedRequest[]>;
  /** The requests that no route matches. */
  unmatched(): Promise<LoggedRequest[]>;
  clear(): Promise<void>;
  /** The first request that matches, which may be in the log already; rejects after `timeout` milliseconds, 20,000 by default. */
  wait(filter?: Omit<RequestFilter, 'unmatched'>, options?: { timeout?: number }): Promise<LoggedRequest>;
}

export interface Deliveries {
  /** Resolves when every webhook was sent and its receiver has responded; rejects after `timeout` milliseconds, 20,000 by default. */
  wait(options?: { timeout?: number }): Promise<void>;
}

/** An operation of the control interface failed. */
export class PlinthError extends Error {
  readonly status: number | undefined;
}
