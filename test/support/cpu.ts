/** Milliseconds of processor time that this process uses until the result is called: unlike the clock, the same on a busy machine. */
export function measureCpu(): () => number {
  const began = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000
  }
}
