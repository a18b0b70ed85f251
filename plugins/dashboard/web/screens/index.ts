import type { ComponentType } from 'preact'
import type { Feature } from '../api.ts'
import type { TextKey } from '../text.ts'
import type { ScreenProps } from './screen-props.ts'

export interface ScreenEntry {
  readonly name: string
  /** `/sessions/:id` */
  readonly pattern: string
  /** Text of its link in the navigation; absent for a screen reached from others. */
  readonly nav?: TextKey
  readonly isOfSandbox?: boolean
  /** The part that the screen requires. */
  readonly needs?: Feature
  load(): Promise<{ default: ComponentType<ScreenProps> }>
}

/** All screens with their patterns. */
export const screens: readonly ScreenEntry[] = [
  { name: 'fleet', pattern: '/', nav: 'fleet.title', load: () => import('./fleet/index.tsx') },
  {
    name: 'settings',
    pattern: '/sessions/:id/settings',
    needs: 'settings',
    load: () => import('./settings/index.tsx'),
  },
  { name: 'session', pattern: '/sessions/:id', load: () => import('./session/index.tsx') },
  { name: 'link', pattern: '/link/:id', load: () => import('./link/index.tsx') },
  {
    name: 'inspector',
    pattern: '/events',
    nav: 'inspector.title',
    load: () => import('./inspector/index.tsx'),
  },
  { name: 'message', pattern: '/messages/:session/:id', load: () => import('./message/index.tsx') },
  {
    name: 'deliveries',
    pattern: '/deliveries',
    nav: 'deliveries.title',
    load: () => import('./deliveries/index.tsx'),
  },
  {
    name: 'composer',
    pattern: '/composer',
    nav: 'composer.title',
    load: () => import('./composer/index.tsx'),
  },
  {
    name: 'phones',
    pattern: '/phones',
    nav: 'phones.title',
    isOfSandbox: true,
    load: () => import('./phones/index.tsx'),
  },
  {
    name: 'chats',
    pattern: '/chats',
    nav: 'chats.title',
    needs: 'chats',
    load: () => import('./chats/index.tsx'),
  },
  { name: 'page', pattern: '/pages/:plugin', needs: 'pages', load: () => import('./page/index.tsx') },
  { name: 'plugins', pattern: '/plugins', nav: 'plugins.title', load: () => import('./plugins/index.tsx') },
  { name: 'keys', pattern: '/keys', nav: 'keys.title', load: () => import('./keys/index.tsx') },
  { name: 'audit', pattern: '/audit', nav: 'audit.title', load: () => import('./audit/index.tsx') },
  { name: 'health', pattern: '/health', nav: 'health.title', load: () => import('./health/index.tsx') },
]

/** The screen for a place in the dashboard: the first whose pattern matches; extra segments are ignored. */
export function match(path: string): { screen: ScreenEntry; params: Record<string, string> } | undefined {
  for (const screen of screens) {
    const params = paramsOf(screen.pattern, path)
    if (params) return { screen, params }
  }
  return undefined
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern, path].map((text) => text.split('/').filter(Boolean))
  if (!wanted || !given || wanted.length > given.length || (wanted.length === 0 && given.length > 0))
    return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  given.slice(wanted.length).forEach((value, at) => {
    params[`rest${at}`] = decode(value)
  })
  return params
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
