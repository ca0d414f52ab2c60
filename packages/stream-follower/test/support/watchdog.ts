/**
 * Ends the processes that a program has started when it ends itself, however that was: a shell
 * reads their ids until its input is closed, which SIGKILL does, too. It ends frozen ones, and
 * their children (those of PostgreSQL).
 */
import { type ChildProcess, spawn } from "node:child_process";

const SCRIPT = `
pids=" "
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -KILL $pid $(cat /proc/$pid/task/$pid/children); done`;

let input: ChildProcess["stdin"] | undefined;

/** Lets a process end with this one. */
export const endWithUs = <A extends ChildProcess>(child: A): A => {
  if (input === undefined) {
    // A group of its own: what Ctrl-C ends first could not end the others.
    const shell = spawn("sh", ["-c", SCRIPT], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.once("error", () => undefined);
    shell.unref();
    input = shell.stdin;
    input?.once("error", () => undefined);
    (input as unknown as { readonly unref: () => void }).unref();
  }
  input?.write(`+ ${child.pid}\n`);
  child.once("exit", () => input?.write(`- ${child.pid}\n`));
  return child;
};
