import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether ffmpeg is installed here; what needs it is skipped without. */
export const hasFfmpeg: Promise<boolean> = new Promise((resolve) => {
  execFile('ffmpeg', ['-version'], (error) => resolve(error === null))
})

/** Whether Poppler's programs are. */
export const hasPoppler: Promise<boolean> = new Promise((resolve) => {
  execFile('pdftoppm', ['-v'], (error) => resolve(error === null))
})

/** A PDF file of blank pages. */
export function pdf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>'),
  ]
  const body = objects.map((object, index) => `${index + 1} 0 obj ${object} endobj\n`).join('')
  // Readers rebuild a missing table of places.
  return Buffer.from(`%PDF-1.4\n${body}trailer << /Root 1 0 R >>\n%%EOF\n`)
}

/** Makes a file with ffmpeg: `sample('wav', '-f lavfi -i sine=d=2')`. Base64. */
export function sample(ending: string, args: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'wamux-sample-'))
  try {
    const file = join(folder, `sample.${ending}`)
    execFileSync('ffmpeg', ['-loglevel', 'error', ...args.split(' '), file])
    return readFileSync(file).toString('base64')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** One page of Ogg with the head of Opus and as many samples as `seconds` have: enough to be known by. */
export function voice(seconds: number): string {
  const page = Buffer.alloc(28)
  page.write('OggS')
  page.writeBigInt64LE(BigInt(Math.round(seconds * 48_000)), 6)
  page[26] = 1
  page[27] = 19
  const head = Buffer.alloc(19)
  head.write('OpusHead')
  return Buffer.concat([page, head]).toString('base64')
}

/** A WAV of silence, 8 kHz. */
export function wav(seconds: number): string {
  const samples = Buffer.alloc(Math.round(seconds * 8_000) * 2)
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(16_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples]).toString('base64')
}
