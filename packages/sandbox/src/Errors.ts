/**
 * Errors of the functions of this package. Responses over HTTP are in `oauth/OAuthFailure` and
 * `http/errors`.
 *
 * They are plain classes with a `_tag`, so that `./control` does not load Effect. `Effect.catchTag`
 * handles them like tagged errors.
 */

import type { Issue } from "./internal/issues.ts";

/** Base class of the package's errors: a `_tag`, a `help` URL and `toJSON`. */
export abstract class SandboxFailure extends Error {
  abstract readonly _tag: string;
  constructor(message: string, about: object) {
    const { cause, ...fields } = about as { readonly cause?: unknown };
    super(message, { cause });
    Object.assign(this, fields);
  }
  /** Whether the same call may succeed if retried. */
  get isRetryable(): boolean {
    return false;
  }
  /** URL of the documentation page about the error. */
  get help(): string {
    return `https://game-data.github.io/game-data/errors/sandbox/#${this._tag.toLowerCase()}`;
  }
  /** Returns the tag, the message, the help URL and the fields, but never the cause. */
  toJSON(): object {
    const { cause: _, name: __, ...fields } = this as Record<string, unknown>;
    return { ...fields, message: this.message, help: this.help };
  }
}

/**
 * The sandbox could not start: an address is in use or forbidden, the database file is locked or
 * holds another world, or an option is invalid.
 *
 * What to do: `reason` names the option or the resource; change it and start again.
 */
export class SandboxStartError extends SandboxFailure {
  readonly _tag = "SandboxStartError";
  /** The option or the resource that prevents the start, and why. */
  declare readonly reason: string;
  constructor(about: { readonly reason: string; readonly cause?: unknown }) {
    super(`the sandbox cannot start: ${about.reason}`, about);
  }
}

/**
 * A client's registration breaks a rule of §5.
 *
 * What to do: `reason` names the rule; change the registration.
 */
export class RegistrationRejected extends SandboxFailure {
  readonly _tag = "RegistrationRejected";
  /** Id that the client would have had. */
  declare readonly clientId: string;
  /** JSON pointer of the member that breaks the rule. */
  declare readonly at: string;
  /** The rule that the member breaks. */
  declare readonly reason: string;
  constructor(about: { readonly clientId: string; readonly at: string; readonly reason: string }) {
    super(`client ${about.clientId} cannot be registered: ${about.at}: ${about.reason}`, about);
  }
}

/**
 * The rate policies in the options are invalid.
 *
 * What to do: `at` is the place in the document, `reason` what is wrong there.
 */
export class RatePolicyInvalid extends SandboxFailure {
  readonly _tag = "RatePolicyInvalid";
  /** JSON pointer of the place in the document. */
  declare readonly at: string;
  /** The problem at the place `at`. */
  declare readonly reason: string;
  constructor(about: { readonly at: string; readonly reason: string }) {
    super(`The rate policies cannot be used: ${about.at} ${about.reason}.`, about);
  }
}

/**
 * A program should run as a client that the sandbox does not have.
 *
 * What to do: take one of `known`, or register the client.
 */
export class UnknownClient extends SandboxFailure {
  readonly _tag = "UnknownClient";
  declare readonly clientId: string;
  /** Ids of the clients that the sandbox has. */
  declare readonly known: ReadonlyArray<string>;
  constructor(about: { readonly clientId: string; readonly known: ReadonlyArray<string> }) {
    super(`the sandbox has no client ${about.clientId}, only ${about.known.join(", ")}`, about);
  }
}

/**
 * The program to run against a sandbox could not be started.
 *
 * What to do: check its name and that it may be executed; `reason` is the system's code.
 */
export class ProgramNotStarted extends SandboxFailure {
  readonly _tag = "ProgramNotStarted";
  declare readonly program: string;
  /** Error code or message of the system, such as `ENOENT`. */
  declare readonly reason: string;
  constructor(about: { readonly program: string; readonly reason: string }) {
    super(`${about.program} cannot be run (${about.reason})`, about);
  }
}

/**
 * The control plane refused a request of the test: an unknown name, an invalid document, or a wrong
 * key.
 *
 * What to do: `issues` has the place of each mistake and the nearest known word; change the request.
 */
export class ControlRejected extends SandboxFailure {
  readonly _tag = "ControlRejected";
  /** Method and path of the request. */
  declare readonly request: string;
  declare readonly status: number;
  declare readonly reason: string;
  /** The invalid places of a document; empty if the request as a whole is refused. */
  declare readonly issues: ReadonlyArray<Issue>;
  constructor(about: Pick<ControlRejected, "request" | "status" | "reason" | "issues">) {
    super(`${about.request}: ${about.status} ${about.reason}`, about);
  }
}

/**
 * Other requests arrived than `verify` expects, or another number of them.
 *
 * What to do: the message names the nearest requests; the journal (`GET /journal`) and the console
 * have all of them.
 */
export class VerificationFailed extends SandboxFailure {
  readonly _tag = "VerificationFailed";
  /** Number of requests that matched. */
  declare readonly count: number;
  constructor({ count, reason }: { readonly count: number; readonly reason: string }) {
    super(reason, { count });
  }
}

/**
 * The sandbox has been closed, or does not answer at its address.
 *
 * What to do: await all requests of the test before `close`, and start a sandbox for each test or
 * suite.
 */
export class SandboxClosed extends SandboxFailure {
  readonly _tag = "SandboxClosed";
  /** URL that did not answer. */
  declare readonly url: string;
  constructor(about: { readonly url: string; readonly cause?: unknown }) {
    super(`the sandbox at ${about.url} does not answer: it is closed, or was never started`, about);
  }
}

/** Errors of a start: of the system, an option, a client, or a rate policy. */
export type SandboxError = SandboxStartError | RegistrationRejected | RatePolicyInvalid;

/** Errors of `exec`, which runs a program against a new sandbox. */
export type ExecError = SandboxError | UnknownClient | ProgramNotStarted;
