// The workflow parser imports its JSON as bundlers like it; Node wants to be told what it is.
export async function load(url, context, nextLoad) {
  return url.endsWith('.json')
    ? nextLoad(url, { ...context, importAttributes: { type: 'json' } })
    : nextLoad(url, context);
}
