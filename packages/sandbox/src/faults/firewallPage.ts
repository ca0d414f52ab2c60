/**
 * The challenge page of a content delivery network: HTML where JSON was asked for, and not one
 * header of the service.
 *
 * A client that retries it makes things worse: people were locked out for that.
 */
import type { ResponseOutput } from "../http/messages.ts";

/** 403, `text/html`, and the header by which a challenge can be told from a refusal. */
export const FIREWALL_PAGE: ResponseOutput = {
  status: 403,
  headers: {
    "content-type": "text/html; charset=UTF-8",
    "cache-control": "private, max-age=0, no-store",
    "cf-mitigated": "challenge",
  },
  body: `<!DOCTYPE html>
<html lang="en-US">
<head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"></head>
<body><h1>Checking your browser</h1><p>This page was made by the sandbox: no service stands behind it.</p></body>
</html>
`,
};
