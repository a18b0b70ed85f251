/** The slope of the straight line that fits the points best (least squares). */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, one) => sum + one, 0) / values.length
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))]
  const of = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0)
  const by = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0)
  return by === 0 ? 0 : of / by
}
