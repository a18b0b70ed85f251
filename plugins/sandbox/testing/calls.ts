/** Calls the HTTP interface of a running gateway, like a client. */
export interface Calls {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface CallOptions {
  body?: unknown
  headers?: Record<string, string>
}

/** The envelope and the HTTP status. */
export interface Answer {
  status: number
  code: number
  success: boolean
  // Tests read the fields that they expect; chai reports missing ones.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  data?: any
  error?: string
  errorCode?: string
  details?: string
}

export function callsOf(target: { readonly url: string }): Calls {
  const call = async (method: string, path: string, { body, headers }: CallOptions = {}): Promise<Answer> => {
    const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const response = await fetch(target.url + path, {
      method,
      headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(text === undefined ? {} : { body: text }),
    })
    return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) }
  }
  return {
    call,
    get: (path, headers = {}) => call('GET', path, { headers }),
    post: (path, body = {}, headers = {}) => call('POST', path, { body, headers }),
  }
}
