import { isProgram, type Limits, run } from './program.ts'

/** What apps show of a document before they download it. */
export interface DocumentPreview {
  readonly pages: number
  /** The first page, JPEG. */
  readonly thumbnail: Buffer
}

export interface PdfConfig {
  readonly pdfinfo: string
  readonly pdftoppm: string
}

/** Longer side of the preview in pixels; it is part of the message, once per device. */
const PREVIEW = 320

/**
 * Number of pages and first page of a PDF file by Poppler's programs, if installed; undefined also for a file that they can't read,
 * for example an encrypted one, or not in time.
 */
export async function previewOf(
  bytes: Buffer,
  { pdfinfo, pdftoppm }: PdfConfig,
  limits: Limits,
): Promise<DocumentPreview | undefined> {
  const there = await Promise.all([isProgram(pdfinfo, '-v'), isProgram(pdftoppm, '-v')])
  if (there.includes(false)) return undefined
  try {
    const { printed } = await run(pdfinfo, ['in'], bytes, limits)
    const pages = Number(/^Pages:\s+(\d{1,9})$/m.exec(printed)?.[1] ?? 0)
    const first = '-jpeg -jpegopt quality=60 -f 1 -l 1 -singlefile -scale-to'.split(' ')
    const args = [...first, String(PREVIEW), 'in', 'out']
    const { out } = await run(pdftoppm, args, bytes, limits, 'out.jpg')
    return pages > 0 && out.length > 0 ? { pages, thumbnail: out } : undefined
  } catch {
    return undefined
  }
}
