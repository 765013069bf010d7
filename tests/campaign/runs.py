"""Runs of questions: their output goes to a file, so that they never wait for a reader, and what they leave is judged too."""
import os
import tempfile

from questions import Question
from trial import ERROR, OTHER, RIGHT, TIMEOUT, WRONG, end, finish


class Run:
    """A run of a question in its folder. With `to_file` the result goes to -o."""

    def __init__(self, folder, question: Question, options=(), to_file=False, before=(), data=None, **more):
        self.folder, self.question, self.to_file = folder, question, to_file
        self.names = set(os.listdir(folder.path))
        self.out = tempfile.TemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.arguments = question.arguments(options, out="result" if to_file else None, data=data)
        self.child = folder.program.start(self.arguments, before, cwd=folder.path, stdout=self.out, **more)

    def finish(self, seconds=TIMEOUT):
        """Waits for the end. Returns status (None if it hung), standard output and standard error."""
        status, _, err = finish(self.child, seconds)
        self.out.seek(0)
        return status, self.out.read(), err

    def judge(self, answers, keeps_part=False, any_rows=False, sent=()):
        """Waits for the end, and returns the outcome and a description of it. One of the `answers` is right. After an error, an
        export of a file that changes may have written rows of any version."""
        ended = self.finish()
        status, out, err = ended
        found = self.take("result")
        left = set(os.listdir(self.folder.path)) - self.names
        for name in left:
            self.take(name)
        if status is not None and status < 0 and -status in sent:
            kind = RIGHT
        elif self.to_file and found is not None:
            kinds = [self.question.judge((status, found, err), answer) for answer in answers]
            # A file that appears is whole.
            kind = RIGHT if RIGHT in kinds else WRONG
            kind = OTHER if out else kind
        else:
            kept = b"" if any_rows and self.question.keeps and status == 2 else out
            if self.to_file:
                kept = out if status == 2 else b"no file"
            kinds = [self.question.judge((status, kept, err), answer, keeps_part) for answer in answers]
            kind = RIGHT if RIGHT in kinds else ERROR if ERROR in kinds else kinds[0]
        if left:
            kind = OTHER
        return kind, f"{' '.join(map(str, self.arguments))}: {status} {out[-200:]} {err[-400:]} {sorted(left)}"

    def take(self, name):
        """Returns the content of a file of the folder, and removes it. None if there is no such file."""
        path = self.folder.at(name)
        try:
            with open(path, "rb") as file:
                content = file.read()
            os.remove(path)
            return content
        except OSError:
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            end(self.child)
        # A run that was not judged may have written its result.
        self.take("result")
        self.out.close()
