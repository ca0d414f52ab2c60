/** The programs that run in a page: no browser to open, no port to listen on, no file to write. */
export const RUNNABLE: ReadonlyArray<string> = ["home", "tree-link", "axios", "errors"];
