import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { GatewayContributions, Kernel } from 'wamux/plugin'
import type { S3Config } from './config.ts'
import { createRequests, type S3Request } from './requests.ts'

type MediaStore = GatewayContributions['mediaStores']

/** Files in a bucket of any service with the API of Amazon S3. */
export function createS3({ config, log }: Pick<Kernel<S3Config>, 'config' | 'log'>): MediaStore {
  const requests = createRequests(config)
  const isEncrypting = config.encryption !== 'wamux'
  const headers: Record<string, string> =
    isEncrypting && config.encryption !== 'none' ? { 'x-amz-server-side-encryption': config.encryption } : {}

  async function send(request: S3Request): Promise<Response> {
    const response = await requests.send(request)
    if (response.status === 404)
      throw new Error(`${request.method} was answered with 404: does the bucket ${config.bucket} exist?`)
    return response
  }

  async function putParts(key: string, parts: AsyncIterable<Buffer>): Promise<void> {
    const created = await (await send({ method: 'POST', key, query: { uploads: '' }, headers })).text()
    const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(created)?.[1] ?? ''
    try {
      const tags: string[] = []
      for await (const body of parts) {
        const query = { partNumber: String(tags.length + 1), uploadId }
        const part = await send({ method: 'PUT', key, query, body })
        await part.body?.cancel()
        tags.push(part.headers.get('etag') ?? '')
      }
      const body = Buffer.from(completion(tags))
      const done = await (await send({ method: 'POST', key, query: { uploadId }, body })).text()
      // The service answers 200 before it has assembled the parts.
      if (done.includes('<Error>')) throw new Error(`the parts were not assembled: ${done.slice(0, 200)}`)
    } catch (error) {
      // The service would keep the parts of an unfinished upload, and charge for them.
      await requests
        .send({ method: 'DELETE', key, query: { uploadId } })
        .catch((cause: unknown) => log.warn({ key, err: cause }, 'upload not aborted'))
      throw error
    }
  }

  return {
    name: 's3',
    isEncrypting,
    async put(key, data) {
      const parts = cut(data, config.partBytes)
      const first = await parts.next()
      const second = first.done ? first : await parts.next()
      if (second.done) {
        const done = await send({ method: 'PUT', key, headers, body: first.value ?? Buffer.alloc(0) })
        await done.body?.cancel()
        return
      }
      await putParts(
        key,
        (async function* () {
          yield first.value as Buffer
          yield second.value
          yield* parts
        })(),
      )
    },
    async get(key) {
      const response = await requests.send({ method: 'GET', key })
      if (response.status !== 404 && response.body) return Readable.fromWeb(response.body as ReadableStream)
      await response.body?.cancel()
      return undefined
    },
    async remove(key) {
      const response = await requests.send({ method: 'DELETE', key })
      await response.body?.cancel()
    },
    link: (key, { seconds, mimeType, fileName }) =>
      requests.presign(key, seconds, {
        'response-content-type': mimeType,
        'response-content-disposition': `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
      }),
  }
}

/** Parts of that size; the last may be smaller. */
async function* cut(data: Readable, size: number): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = []
  let length = 0
  for await (const chunk of data) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    while (length >= size) {
      const all = Buffer.concat(chunks)
      yield all.subarray(0, size)
      chunks = [all.subarray(size)]
      length = all.length - size
    }
  }
  if (length > 0) yield Buffer.concat(chunks)
  return undefined
}

function completion(tags: readonly string[]): string {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
}
