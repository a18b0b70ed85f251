/** Loaded into the process of wamux before its own modules: reports its memory to the process that started it. */
process.on('message', () => {
  void report()
})
process.once('disconnect', () => process.exit())

async function report(): Promise<void> {
  // What the first collection releases by finalizers goes with the second.
  globalThis.gc?.()
  await new Promise((resolve) => setTimeout(resolve, 200))
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  process.send?.({ heap: heapUsed / 1e6, rss: rss / 1e6 })
}
