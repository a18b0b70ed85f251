import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, createDeflate, type Deflate } from 'node:zlib'
import sharp from 'sharp'

/** Files that are small, or nothing unusual, and cost their decoder hundreds of times as much. */

/** A GIF of one pixel in 2,000 frames, each of which a sticker would show in 512 by 512: 2 GB. */
export function manyFrames(frames = 2_000): Buffer {
  const head = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  const frame = Buffer.from('21f90400010000002c000000000100010000020244010000'.slice(0, 46), 'hex')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

/** A PNG of 16 bits in four channels, interlaced, so that it is in memory as a whole: 512 MB of nothing. */
export async function manyBits(side = 8_000): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([16, 6, 0, 0, 1], 8)
  const data = await deflated(adam7Bytes(side, 8))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Columns and rows of the seven passes: first, and distance. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function adam7Bytes(side: number, bytesPerPixel: number): number {
  return PASSES.reduce((sum, [x, y, dx, dy]) => {
    const width = Math.ceil((side - x) / dx)
    return sum + Math.ceil((side - y) / dy) * (1 + width * bytesPerPixel)
  }, 0)
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const
  ends[0].writeUInt32BE(data.length)
  ends[1].writeUInt32BE(crc32(body))
  return Buffer.concat([ends[0], body, ends[1]])
}

/** A WebP with as many empty chunks as its bytes allow. */
export async function manyChunks(bytes = 40_000_000): Promise<Buffer> {
  const create = { width: 64, height: 64, channels: 3 as const, background: '#c83c28' }
  const webp = await sharp({ create }).webp().toBuffer()
  const empty = Buffer.from('JUNK\0\0\0\0')
  const all = Buffer.concat([webp, Buffer.alloc(bytes, empty)])
  all.writeUInt32LE(all.length - 8, 4)
  return all
}

/** An hour without a sound: a voice message of it has to be encoded. */
export function hourOfSilence(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'wamux-sample-'))
  try {
    const file = join(folder, 'hour.flac')
    const args = '-loglevel error -f lavfi -i anullsrc=r=48000:cl=mono:d=3600 -compression_level 0'
    execFileSync('ffmpeg', [...args.split(' '), file])
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A PDF of one page with 12 million strokes. */
export async function manyStrokes(strokes = 12_000_000): Promise<Buffer> {
  const stroke = Buffer.from('0 0 m 99 99 l S\n')
  const part = Buffer.alloc(stroke.length * 10_000, stroke)
  const content = await deflated(part.length * (strokes / 10_000), part)
  const head = [
    '%PDF-1.4',
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
    '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Contents 4 0 R >> endobj',
    `4 0 obj << /Length ${content.length} /Filter /FlateDecode >> stream\n`,
  ].join('\n')
  const end = '\nendstream endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n'
  return Buffer.concat([Buffer.from(head), content, Buffer.from(end)])
}

/** `length` bytes, `part` over and over, compressed. */
async function deflated(length: number, part = Buffer.alloc(1_000_000)): Promise<Buffer> {
  const deflate: Deflate = createDeflate({ level: 9 })
  const chunks: Buffer[] = []
  const reading = (async () => {
    for await (const data of deflate) chunks.push(data as Buffer)
  })()
  for (let left = length; left > 0; left -= part.length) {
    const isFull = !deflate.write(left >= part.length ? part : part.subarray(0, left))
    if (isFull) await new Promise((resolve) => deflate.once('drain', resolve))
  }
  deflate.end()
  await reading
  return Buffer.concat(chunks)
}
