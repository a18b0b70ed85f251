import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'

/** Pictures of a page, in order, which become one animated picture. */
export interface Recording {
  /** @param ms how long it is shown. */
  shoot(page: Page, ms: number): Promise<void>
  /** Writes the WebP; returns its size in bytes. */
  write(file: string): Promise<number>
}

const WIDTH = 960

export function createRecording(): Recording {
  const frames: Buffer[] = []
  const delay: number[] = []
  return {
    async shoot(page, ms) {
      const shot = await page.screenshot({ animations: 'disabled' })
      frames.push(await sharp(shot).resize({ width: WIDTH }).png().toBuffer())
      delay.push(ms)
    },
    async write(file) {
      mkdirSync(dirname(file), { recursive: true })
      const { size } = await sharp(frames, { join: { animated: true } })
        .webp({ delay, loop: 0, quality: 70, effort: 4 })
        .toFile(file)
      return size
    },
  }
}

/** Writes what the page shows as WebP; returns its size in bytes. */
export async function writePicture(page: Page, file: string): Promise<number> {
  const shot = await page.screenshot({ animations: 'disabled' })
  const { size } = await sharp(shot).resize({ width: WIDTH }).webp({ quality: 75, effort: 6 }).toFile(file)
  return size
}
