import { registerHooks } from 'node:module';

const PLAIN = new URL('./plain-scripts.js', import.meta.url).href;

/** Preloaded into the services of a bench: the shelf of scripts is another module, the rest of the services the same. */
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return resolved.url.endsWith('/libs/mechanics/src/script-shelf.js') ? { ...resolved, url: PLAIN } : resolved;
  },
});
