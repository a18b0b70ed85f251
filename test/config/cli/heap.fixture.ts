import { boundYoungGeneration, youngBytes } from '../../../config/cli/heap.ts'

// Prints how large the young generation becomes under work whose objects live for a while.
const bound = Number(process.argv[2])
if (bound > 0) boundYoungGeneration(bound)
const kept: object[] = []
let highest = 0
for (let round = 0; round < 300; round += 1) {
  for (let i = 0; i < 20_000; i += 1) kept[i] = { round, i, text: `${round} ${i}` }
  // The observer of collections runs between two turns.
  await new Promise((resolve) => setImmediate(resolve))
  highest = Math.max(highest, youngBytes())
}
process.stdout.write(String(highest))
