import type { ComponentChildren } from 'preact'

/** A link whose address comes from data: only http and https become one. */
export function DataLink({ href, children }: { href: string; children?: ComponentChildren }) {
  const isSafe = URL.canParse(href) && /^https?:$/.test(new URL(href).protocol)
  if (!isSafe) return <span>{children ?? href}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children ?? href}
    </a>
  )
}
