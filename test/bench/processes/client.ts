import { Pool } from 'undici'
import { atRate } from '../rate.ts'
import { serve } from '../serve.ts'

/** A request that is repeated. */
export interface Request {
  url: string
  path: string
  headers: Record<string, string>
  body: string
}

/** The client of the benchmark: connections that are kept open, one request at a time on each. */
const methods = {
  /** Sends each of the requests in turn, so many a second. Answers what refused them. */
  async stream(requests: Request[], rate: number, seconds: number) {
    const pool = new Pool(requests[0]?.url ?? '', { connections: 50, pipelining: 1 })
    const refusals: string[] = []
    await atRate(rate, seconds, async (i) => {
      const { path, headers, body } = requests[i % requests.length] as Request
      const response = await pool.request({
        method: 'POST',
        path,
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
      if (response.statusCode < 300) return response.body.dump()
      refusals.push(`${response.statusCode} ${await response.body.text()}`)
    })
    await pool.close()
    return refusals
  },
  /** Answers how many requests a second were answered. Rejects on any that failed. */
  async load({ url, path, headers, body }: Request, count: number, atOnce: number) {
    const pool = new Pool(url, { connections: atOnce, pipelining: 1 })
    const options = {
      method: 'POST',
      path,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    }
    let left = count
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        const response = await pool.request({ ...options, method: 'POST' })
        const text = await response.body.text()
        if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${text}`)
      }
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: atOnce }, lane))
    const seconds = (performance.now() - began) / 1000
    await pool.close()
    return count / seconds
  },
}
export type Client = typeof methods
serve(methods)
