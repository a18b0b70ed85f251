/** Where browsers reach this gateway. */
export interface Address {
  /** '' or `/wamux`. */
  readonly path: string
  readonly isSecure: boolean
}

/** The configured address, or else that of the request, whose sender would deceive himself alone. */
export function addressOf(configured: string, header: (name: string) => string): Address {
  const [protocol = ''] = header('x-forwarded-proto').split(',')
  const { pathname, protocol: scheme } = new URL(configured || `${protocol.trim() || 'http'}://localhost`)
  return { path: pathname.replace(/\/+$/, ''), isSecure: scheme === 'https:' }
}
