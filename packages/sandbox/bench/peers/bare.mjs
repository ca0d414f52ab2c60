// A bare node:http server that answers with bytes it was given: what HTTP itself costs on this
// machine. The answers arrive as one JSON line on stdin, by path and query:
// {PATH: {"status","headers","body" (base64)}}.
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin });
const [line] = await once(lines, "line");
const answers = new Map(
  Object.entries(JSON.parse(line)).map(([path, { body, headers, status }]) => [
    path,
    { bytes: Buffer.from(body, "base64"), headers, status },
  ]),
);

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    const { bytes, headers, status } = answers.get(request.url);
    response.writeHead(status, headers);
    response.end(bytes);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`),
);
