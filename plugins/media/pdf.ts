import { isProgram, run } from './program.ts'

/** What apps show of a document before they download it. */
export interface DocumentPreview {
  readonly pages: number
  /** The first page, JPEG. */
  readonly thumbnail: Buffer
}

export interface PdfConfig {
  pdfinfo: string
  pdftoppm: string
  convertTimeoutMs: number
}

/** Longer side of the preview in pixels; it is part of the message, once per device. */
const PREVIEW = 320

/** Number of pages and first page of PDF files by Poppler's programs, if installed. */
export function createPdf({ pdfinfo, pdftoppm, convertTimeoutMs }: PdfConfig) {
  let there: Promise<boolean> | undefined

  return {
    /** undefined without the programs, and for a file that they can't read, for example an encrypted one. */
    async preview(bytes: Buffer): Promise<DocumentPreview | undefined> {
      there ??= Promise.all([isProgram(pdfinfo, '-v'), isProgram(pdftoppm, '-v')]).then(
        (found) => !found.includes(false),
      )
      if (!(await there)) return undefined
      try {
        const { printed } = await run(pdfinfo, ['in'], bytes, convertTimeoutMs)
        const pages = Number(/^Pages:\s+(\d{1,9})$/m.exec(printed)?.[1] ?? 0)
        const first = '-jpeg -jpegopt quality=60 -f 1 -l 1 -singlefile -scale-to'.split(' ')
        const { out } = await run(
          pdftoppm,
          [...first, String(PREVIEW), 'in', 'out'],
          bytes,
          convertTimeoutMs,
          'out.jpg',
        )
        return pages > 0 && out.length > 0 ? { pages, thumbnail: out } : undefined
      } catch {
        return undefined
      }
    },
  }
}
