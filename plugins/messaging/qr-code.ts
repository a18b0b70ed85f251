import { deflateSync } from 'node:zlib'

/** Modules around the code, which readers need to find it. */
const MARGIN = 2
/** Pixels. */
const WIDTH = 256

type Rows = readonly (readonly boolean[])[]

/** `qrPng` as a data URL. */
export async function qrPicture(text: string): Promise<string> {
  return `data:image/png;base64,${(await qrPng(text)).toString('base64')}`
}

/** A QR code as a PNG, 256 pixels wide: the size that dashboards of this family expect. */
export async function qrPng(text: string): Promise<Buffer> {
  const rows = await matrixOf(text)
  const scale = Math.max(1, Math.floor(WIDTH / rows.length))
  const offset = Math.floor((WIDTH - scale * rows.length) / 2)
  const lines = Array.from({ length: WIDTH }, (_, y) => {
    const row = rows[Math.floor((y - offset) / scale)] ?? []
    // The first byte of a line is its filter, none.
    return Buffer.from([
      0,
      ...Array.from({ length: WIDTH }, (_, x) => (row[Math.floor((x - offset) / scale)] ? 0 : 255)),
    ])
  })
  return grayPng(WIDTH, Buffer.concat(lines))
}

/** A QR code as an SVG data URL, which is sharp in every size. */
export async function qrDrawing(text: string): Promise<string> {
  const rows = await matrixOf(text)
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
    .join('')
  const size = rows.length
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

/** A QR code as lines of text for a terminal with a dark background: each character shows two rows of modules. */
export async function qrText(text: string): Promise<string> {
  const rows = await matrixOf(text)
  const isLight = (y: number, x: number): boolean => rows[y]?.[x] === false
  const lines = rows.flatMap((row, y) => {
    if (y % 2 === 1) return []
    return [row.map((_, x) => BLOCKS[Number(isLight(y, x)) + 2 * Number(isLight(y + 1, x))]).join('')]
  })
  return `${lines.join('\n')}\n`
}

/** By whether the upper module is light, and twice whether the lower is. */
const BLOCKS = [' ', '▀', '▄', '█'] as const

/** Dark modules, with the margin around them. */
async function matrixOf(text: string): Promise<Rows> {
  // Loaded when a first code is shown: most starts show none.
  const {
    default: { create },
  } = await import('qrcode')
  const { size, data } = create(text, { errorCorrectionLevel: 'L' }).modules
  const isDark = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < size && y < size && data[y * size + x] === 1
  const positions = Array.from({ length: size + 2 * MARGIN }, (_, index) => index - MARGIN)
  return positions.map((y) => positions.map((x) => isDark(x, y)))
}

/** Lines of eight-bit gray. https://www.w3.org/TR/png-3/ */
function grayPng(size: number, lines: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  head[8] = 8
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** Node has one from version 22. */
function crc32(data: Buffer): number {
  let rest = 0xffffffff
  for (const byte of data) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  }
  return ~rest >>> 0
}
