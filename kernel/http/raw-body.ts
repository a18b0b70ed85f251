import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { gatewayError } from '../errors.ts'

/** The body of a request, of at most `limit` bytes. Rejects BODY_TOO_LARGE, BODY_UNREADABLE. */
export async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    const length = request.headers['content-length']
    return await getRawBody(request, { limit, ...(length ? { length } : {}) })
  } catch (cause) {
    if ((cause as { type?: string }).type === 'entity.too.large')
      throw gatewayError('BODY_TOO_LARGE', [limit], { cause })
    throw gatewayError('BODY_UNREADABLE', ['the body did not arrive whole'], { cause })
  }
}

/** Fields and files of a `multipart/form-data` body, or the fields of an URL-encoded one; rejects BODY_UNREADABLE. */
export async function parseForm(body: Buffer, type = ''): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch (cause) {
    throw gatewayError('BODY_UNREADABLE', ['the body is not a valid form'], { cause })
  }
}
