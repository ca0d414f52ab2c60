/** Log of the sandbox's own failures: stderr by default, Effect's logger under Effect. */
export type Log = (message: string, cause?: unknown) => void;
