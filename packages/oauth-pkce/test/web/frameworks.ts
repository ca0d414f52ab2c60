/** The sign-in in each framework, as its guide shows, through exported names alone. */
import { Server, type RequestListener, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Effect, Layer } from "effect";
import { HttpEffect, HttpRouter, HttpServerResponse } from "effect/http";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import Koa from "koa";
import { toNode } from "../../src/node/index.ts";
import { toNext, type SignIn } from "../../src/web/index.ts";
import { listen } from "../FakeServer.ts";
import { makeApp, nameOf } from "./app.ts";

/** Makes the listener of a framework's own server; `/me` says who is signed in. */
export type MakeListener = (signIn: SignIn) => RequestListener | Promise<RequestListener>;

/** The frameworks by name. */
export const frameworks: Readonly<Record<string, MakeListener>> = {
  "node:http": (signIn) => {
    const glue = toNode(signIn);
    return (request, response) =>
      void glue(request, response, async () => {
        response.end(await nameOf(signIn, request));
      });
  },
  Express: (signIn) => {
    const app = express();
    // A body parser in front must not matter.
    app.use(express.urlencoded({ extended: true }));
    app.use(toNode(signIn));
    app.get("/me", async (request, response) => {
      response.send(await nameOf(signIn, request));
    });
    return app;
  },
  Fastify: async (signIn) => {
    let listener: RequestListener | undefined;
    const app = fastify({
      serverFactory: (handler) => {
        listener = handler;
        // Listens nowhere: the test's own server takes the requests.
        return new Server();
      },
    });
    const glue = toNode(signIn);
    app.addHook("onRequest", async (request, reply) => {
      if (!signIn.isOurs(request.raw.url)) return;
      reply.hijack();
      await glue(request.raw, reply.raw);
    });
    app.get("/me", (request) => nameOf(signIn, request));
    await app.ready();
    return (request, response) => listener?.(request, response);
  },
  Koa: (signIn) => {
    const app = new Koa();
    app.silent = true;
    const glue = toNode(signIn);
    app.use(async (context, next) => {
      if (!signIn.isOurs(context.url)) return next();
      context.respond = false;
      await glue(context.req, context.res);
    });
    app.use(async (context) => {
      if (context.path === "/me") context.body = await nameOf(signIn, context);
    });
    const listener = app.callback();
    return (request, response) => void listener(request, response);
  },
  Hono: (signIn) => {
    const app = new Hono();
    app.use(async (context, next) => (await signIn.handle(context.req.raw)) ?? next());
    app.get("/me", async (context) => context.text(await nameOf(signIn, context.req.raw)));
    return toListener((request) => app.fetch(request));
  },
  "Effect's router": (signIn) => {
    const route = HttpEffect.fromWebHandler(
      async (request) => (await signIn.handle(request)) ?? new Response(null, { status: 404 }),
    );
    const me = HttpEffect.fromWebHandler(
      async (request) => new Response(await nameOf(signIn, request)),
    );
    const routes = Layer.mergeAll(
      HttpRouter.add("*", "/auth/*", route),
      HttpRouter.add("*", "/callback", route),
      HttpRouter.add("GET", "/me", me),
      HttpRouter.add("GET", "/alive", Effect.succeed(HttpServerResponse.text("yes"))),
    );
    const { handler } = HttpRouter.toWebHandler(routes, { disableLogger: true });
    return toListener((request) => handler(request));
  },
  // A production build of Next runs in runtimes/web/next.mjs.
  "Next's route handlers": (signIn) => {
    const routes = toNext(async () => signIn);
    const isRoute = (method: string): method is keyof typeof routes => method in routes;
    return toListener(async (request) => {
      const { pathname } = new URL(request.url);
      // A server component has the headers alone.
      if (pathname === "/me") return new Response(await nameOf(signIn, request.headers));
      return isRoute(request.method)
        ? routes[request.method](request)
        : new Response(null, { status: 405 });
    });
  },
};

/** Serves the sign-in through a framework; `meddle` may answer, or end the connection, too. */
export const serve = async (
  oauth: { readonly send: typeof fetch },
  makeListener: MakeListener,
  meddle: (response: ServerResponse) => void = () => undefined,
) => {
  let listener: RequestListener | undefined;
  const served = await listen((request, response) => {
    listener?.(request, response);
    meddle(response);
  });
  const signIn = await makeApp(oauth, {}, served.url);
  listener = await makeListener(signIn);
  return { ...served, signIn };
};

/** Hono's own adapter of Node's server to the types of the web. */
const toListener = (
  handle: (request: Request) => Response | Promise<Response>,
): RequestListener => {
  const listener = getRequestListener(handle, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
};
