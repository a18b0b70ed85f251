/** The template's own tests, from its place in the repository; packed.test.ts runs them as a new package. */
import '../../config/template/test/plugin.test.ts'
