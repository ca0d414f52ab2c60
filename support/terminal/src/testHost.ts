/**
 * A host for tests: streams that record, an environment of its own, and a terminal's width if
 * wanted.
 */
import { PassThrough, Writable } from "node:stream";
import type { HostService, HostWriter } from "./Host.ts";

/** A stream that keeps what is written. It emits `text` after each write. */
export class Recorder extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.emit("text");
    done();
  }
}

/** Options of a test host. */
export interface TestHostOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Text on standard input. Default: it stays open. */
  readonly input?: string | undefined;
  /** Width of the terminal that stdout and stderr are. Default: they are pipes. */
  readonly columns?: number | undefined;
}

/** Makes a host for a command line. */
export const testHost = (
  args: ReadonlyArray<string>,
  { columns, env = {}, input }: TestHostOptions = {},
) => {
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stdout = Object.assign(new Recorder(), terminal);
  const stderr = Object.assign(new Recorder(), terminal);
  const stdin = new PassThrough();
  if (input !== undefined) stdin.end(input);
  const host: HostService = {
    args,
    env,
    stdin,
    stdout: stdout as HostWriter,
    stderr: stderr as HostWriter,
  };
  return { host, stdin, stdout, stderr };
};
