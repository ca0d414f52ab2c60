/** The console's files. */
import type { Application } from "../Application.ts";
import type { ResponseOutput } from "../http/messages.ts";

/** The file of a path of the console, if it is one. */
export const consoleFile = (_path: string, _application: Application): ResponseOutput | undefined =>
  undefined;
