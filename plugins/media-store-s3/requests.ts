import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { reasonOf } from 'wamux/plugin'
import type { S3Config } from './config.ts'

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** Signed requests to one bucket. */
export interface S3Requests {
  /** Rejects if the answer is neither 2xx nor 404, or late. */
  send(request: S3Request): Promise<Response>
  /** A signed address for a GET request. */
  presign(key: string, seconds: number, query: Readonly<Record<string, string>>): Promise<string>
}

export function createRequests(config: S3Config): S3Requests {
  const { accessKeyId, secretAccessKey, region, endpoint, bucket, prefix, timeoutMs } = config
  let client: AwsClient | undefined

  /** Created on first use: it throws for empty keys, which the plugin must first report as missing settings. */
  function signer(): AwsClient {
    client ??= new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
    return client
  }

  /** With the bucket in the path, which every service supports. */
  function addressOf(key: string, query: Readonly<Record<string, string>>): URL {
    const path = [bucket, ...`${prefix}${key}`.split('/')].map(encodeURIComponent).join('/')
    const address = new URL(`${endpoint.replace(/\/$/, '')}/${path}`)
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    return address
  }

  /** The time limit covers only the wait for the answer's headers: a client may download slowly. */
  async function answered(address: URL, init: RequestInit): Promise<Response> {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    try {
      return await signer().fetch(address, { ...init, signal: abort.signal })
    } catch (error) {
      throw new Error(reasonOf((error as Error).cause ?? error), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async send({ method, key, query = {}, headers = {}, body }) {
      const response = await answered(addressOf(key, query), {
        method,
        // Lets the service verify the body.
        headers: {
          ...headers,
          'x-amz-content-sha256': createHash('sha256')
            .update(body ?? '')
            .digest('hex'),
        },
        ...(body ? { body } : {}),
      })
      if (response.ok || response.status === 404) return response
      const text = await response.text()
      const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1] ?? ''
      throw new Error(`${method} was answered with ${response.status} ${code}`.trim())
    },
    async presign(key, seconds, query) {
      const address = addressOf(key, { ...query, 'X-Amz-Expires': String(seconds) })
      return (await signer().sign(address, { method: 'GET', aws: { signQuery: true } })).url
    },
  }
}
