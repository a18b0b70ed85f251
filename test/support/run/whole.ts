/** Everything at full size, as continuous integration runs it: WAMUX_TEST_ALL=yes. Long tests run shorter without it. */
export const isWhole = process.env['WAMUX_TEST_ALL'] === 'yes'

/** Every value at every place, which takes an hour: `npm run sweep`. Other runs take a sample. */
export const isSweep = process.env['WAMUX_TEST_SWEEP'] === 'yes'

/** Counts and seconds of a long test: those of the whole run, or those of a plain `npm test`. */
export function sized(whole: number, short: number): number {
  return isWhole ? whole : short
}

/** What only the whole run has; a plain `npm test` counts its tests as pending. */
export const whole = {
  get describe() {
    return isWhole ? describe : describe.skip
  },
  get it() {
    return isWhole ? it : it.skip
  },
}
