import type { Middleware } from 'koa'
import helmet from 'koa-helmet'

/** Helmet's headers, which are the same on every answer and therefore built once. Run this before any other middleware. */
export function securityHeaders(): Middleware {
  // Plain HTTP is normal inside a network, so no header must force browsers to HTTPS.
  const make = helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], upgradeInsecureRequests: null } },
    hsts: false,
  })
  let headers: Record<string, string> | undefined
  return async (ctx, next) => {
    if (headers) ctx.set(headers)
    else {
      await make(ctx, async () => undefined)
      headers = { ...ctx.response.headers } as Record<string, string>
    }
    await next()
  }
}
