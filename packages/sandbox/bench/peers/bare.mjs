// A bare node:http server that answers every request with the same bytes: what HTTP itself costs on
// this machine. The answer arrives as one JSON line on stdin: {"status","headers","body" (base64)}.
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin });
const [line] = await once(lines, "line");
const { body, headers, status } = JSON.parse(line);
const bytes = Buffer.from(body, "base64");

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(status, headers);
    response.end(bytes);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`),
);
