/** Where the sandbox reports its own failures: stderr by default, Effect's logger under Effect. */
export type Log = (message: string, cause?: unknown) => void;
