// A list of Sinew jobs in parts: put this into the folder "scripts" beside Flamenco Manager.
//
// {sinew} is a variable of the Manager with the program on each platform.

const JOB_TYPE = {
  label: "Sinew batch",
  settings: [
    { key: "list", type: "string", required: true, description: "One job a line; relative paths begin at its folder" },
    { key: "parts", type: "int32", default: 16, description: "So many tasks, each a part of the list" },
    { key: "threads", type: "int32", default: 1, description: "Cores of a task" },
  ],
};

function compileJob(job) {
  const { list, parts, threads } = job.settings;
  // Relative paths of jobs begin where the program does. A part with jobs that failed ends with 1: it is told in the
  // summary, and no reason to do the others again.
  const run = (options, ends) =>
    author.command("exec", {
      exe: "bash",
      args: ["-c", `cd "$(dirname "$1")" && "$0" batch "$1" ${options} ${ends}`, "{sinew}", list],
    });
  const summary = author.task("summary", "misc");
  summary.addCommand(run("--summary", ""));
  for (let part = 1; part <= parts; part++) {
    const task = author.task(`part ${part} of ${parts}`, "misc");
    task.addCommand(run(`--shard ${part}/${parts} --threads ${threads} --quiet`, "|| [ $? = 1 ]"));
    summary.addDependency(task);
    job.addTask(task);
  }
  job.addTask(summary);
}
