import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { RECEIVED_SAMPLES } from 'wamux/messaging'
import { type LogEvent, reasonOf } from 'wamux/plugin'
import type { MessagesConfig } from '../config.ts'
import { type FilePart, filePartOf } from './file-part.ts'
import type { FileLinks } from './links.ts'
import type { ReceivedFiles } from './received-files.ts'

/** Files of logged messages, for plugins that deliver them. */
export interface Attachments {
  /**
   * The fields next to `event` in a delivered body: `base64`, `mimeType` and `fileName`; above the inline size
   * `mediaUrl`; `mediaError` if the file is not available. None for events without a file. Never rejects.
   */
  attach(event: MessageLine): Promise<Record<string, string>>
  /** A link instead of the file itself: `mediaUrl`, `mimeType`, `fileName`; none for events without a file. */
  link(event: MessageLine): Record<string, string>
  /**
   * The file as a stream, which ends with an error if it is not the right file; undefined for events without a file. Rejects
   * like `files.stream`, and with FILE_EXPIRED and NOT_LOGGED_IN.
   */
  open(event: MessageLine): Promise<OpenFile | undefined>
}

export interface OpenFile {
  readonly data: Readable
  readonly mimeType: string
  readonly fileName: string
}

type MessageLine = Pick<LogEvent, 'seq' | 'session' | 'type' | 'body' | 'json'>

interface Deps {
  config: MessagesConfig
  receivedFiles: ReceivedFiles
  links: FileLinks
}

/** Recently fetched files, for retries and further endpoints. */
const CACHE_BYTES = 32 * 1024 * 1024

export function createAttachments({ config, receivedFiles, links }: Deps): Attachments {
  const cache = new LRUCache<number, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (bytes) => bytes.length || 1,
    ttl: 600_000,
  })
  const fetching = new Map<number, Promise<Buffer>>()

  async function load({ seq, session }: Pick<LogEvent, 'seq' | 'session'>, part: FilePart): Promise<Buffer> {
    const known = cache.get(seq)
    if (known) return known
    const fetched = fetching.get(seq) ?? receivedFiles.fetch(session, part, config.inlineBytes)
    fetching.set(seq, fetched)
    try {
      const bytes = await fetched
      cache.set(seq, bytes)
      return bytes
    } finally {
      fetching.delete(seq)
    }
  }

  const partOf = (event: MessageLine): FilePart | undefined =>
    mayHaveFile(event) ? filePartOf(event.body) : undefined
  const linkTo = (event: MessageLine, { mimeType, fileName }: FilePart): Record<string, string> => ({
    mediaUrl: links.make(event),
    mimeType,
    fileName,
  })

  return {
    link(event) {
      const part = partOf(event)
      if (!part) return {}
      return isMade(event) ? withoutFile(part) : linkTo(event, part)
    },
    async open(event) {
      const part = partOf(event)
      if (!part) return undefined
      const data = await receivedFiles.stream(event.session, part, config.fileBytes)
      return { data, mimeType: part.mimeType, fileName: part.fileName }
    },
    async attach(event) {
      const part = partOf(event)
      if (!part) return {}
      if (isMade(event)) return madeFile(part)
      const { mimeType, fileName } = part
      if (part.size > config.inlineBytes) return linkTo(event, part)
      try {
        return { base64: (await load(event, part)).toString('base64'), mimeType, fileName }
      } catch (error) {
        return { mediaError: reasonOf(error), mimeType, fileName }
      }
    },
  }
}

/** Whether the body must be parsed. Every file has a key; most messages have neither and are not parsed. */
function mayHaveFile({ type, json }: Pick<LogEvent, 'type' | 'json'>): boolean {
  return type === 'Message' && (json === undefined || json.includes('"mediaKey"'))
}

/** In no log: there is nothing to fetch, and nothing to link to. */
function isMade({ seq }: MessageLine): boolean {
  return seq === 0
}

function madeFile(part: FilePart): Record<string, string> {
  const { file, mimeType, fileName } = part
  const sample = Object.values(RECEIVED_SAMPLES).find(({ path }) => path === file.directPath)
  if (!sample) return withoutFile(part)
  return { base64: sample.file.slice(sample.file.indexOf(',') + 1), mimeType, fileName }
}

function withoutFile({ mimeType, fileName }: FilePart): Record<string, string> {
  return { mediaError: 'the event did not happen, so no file is stored', mimeType, fileName }
}
