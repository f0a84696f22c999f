"""Writes golden_torch.json: steps of training in PyTorch, in float64, from given parameters.

Needs Debian's python3-torch. wMMD is computed by its definition over pairs of positions.
"""
import json

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
TEXTS, LENGTH, WORDS, DIM, FIRST, SECOND, CHANNELS, HIDDEN = 9, 6, 12, 3, 5, 4, 3, 4


def numbers(*tensors):
    return [t.detach().reshape(-1).tolist() for t in tensors]


def linear(layer):
    return numbers(layer.weight.T, layer.bias)


def gates(matrix, order):
    parts = matrix.chunk(len(order))
    return torch.cat([parts[k] for k in order]).T


def lstm(layer, end):
    get = lambda name: getattr(layer, name + "_l0" + end)
    order = [0, 1, 3, 2]
    return numbers(gates(get("weight_ih"), order), gates(get("bias_ih") + get("bias_hh"), order),
                   gates(get("weight_hh"), order))


def gru(layer):
    h = HIDDEN
    wi, wh, bi, bh = layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0
    return numbers(wi[:2 * h].T, (bi + bh)[:2 * h], wh[:2 * h].T,
                   torch.cat([wi[2 * h:].T, bi[None, 2 * h:]]), torch.cat([bh[None, 2 * h:], wh[2 * h:].T]))


class Net(nn.Module):
    def __init__(self, model, classes):
        super().__init__()
        self.model = model
        self.embedding = nn.Embedding(WORDS, DIM, max_norm=1)
        size = LENGTH * DIM
        if model == "logistic":
            self.out = nn.Linear(size, classes)
        elif model == "mlp":
            self.first, self.second = nn.Linear(size, FIRST), nn.Linear(FIRST, SECOND)
            self.out = nn.Linear(SECOND, classes)
        elif model == "cnn":
            self.convolutions = nn.ModuleList(
                nn.Conv1d(DIM, CHANNELS, w, padding=w // 2) for w in (3, 4, 5))
            self.out = nn.Linear(3 * CHANNELS, classes)
        elif model == "gru":
            self.recurrent = nn.GRU(DIM, HIDDEN, batch_first=True)
            self.out = nn.Linear(HIDDEN, classes)
        else:
            self.recurrent = nn.LSTM(DIM, HIDDEN, bidirectional=True, batch_first=True)
            self.out = nn.Linear(2 * HIDDEN, classes)

    def parts(self):
        if self.model == "mlp":
            body = linear(self.first) + linear(self.second)
        elif self.model == "cnn":
            body = [v for c in self.convolutions for v in numbers(c.weight.permute(0, 2, 1), c.bias)]
        elif self.model == "gru":
            body = gru(self.recurrent)
        elif self.model == "bilstm":
            body = lstm(self.recurrent, "") + lstm(self.recurrent, "_reverse")
        else:
            body = []
        return body + linear(self.out) + numbers(self.embedding.weight)

    def forward(self, words):
        x = self.embedding(words)
        if self.model == "logistic":
            return self.out(x.flatten(1))
        if self.model == "mlp":
            return self.out(torch.relu(self.second(torch.relu(self.first(x.flatten(1))))))
        if self.model == "cnn":
            x = x.transpose(1, 2)
            return self.out(torch.cat([torch.relu(c(x)).amax(2) for c in self.convolutions], 1))
        return self.out(torch.relu(self.recurrent(x)[0]).amax(1))


def wmmd(rows, labels):
    """rows: texts x words x dim."""
    total, classes = torch.zeros(()), sorted(set(labels.tolist()))
    for j, b in enumerate(classes):
        for a in classes[:j]:
            x, y = rows[labels == a], rows[labels == b]
            if len(x) < 2 or len(y) < 2:
                continue

            def distances(u, v, within):
                d = (u[:, None, :, None] - v[None, :, None, :]).pow(2).sum(-1)
                return d[~torch.eye(len(u), dtype=bool)].flatten() if within else d.flatten()

            dx, dy, dxy = distances(x, x, True), distances(y, y, True), distances(x, y, False)
            every = torch.cat([dx, dy, dxy, dxy]).detach().sort().values
            sigma2 = (every[(len(every) - 1) // 2] + every[len(every) // 2]) / 2
            kernel = lambda d: torch.exp(-d / (2 * sigma2)).mean()
            total = total + kernel(dx) + kernel(dy) - 2 * kernel(dxy)
    return total


def penalty(kind, weight, net, words, labels):
    m = net.embedding.weight
    if kind == "l1":
        return weight * m.abs().mean()
    if kind == "group-lasso":
        return weight * m.norm(dim=1).mean()
    if kind == "wmmd":
        return -weight * wmmd(m[words], labels)
    if kind == "biwmmd":
        return -weight * wmmd(torch.cat([m[words[:, :-1]], m[words[:, 1:]]], -1), labels)
    return torch.zeros(())


def case(model, kind, weight, classes, seed):
    torch.manual_seed(seed)
    net = Net(model, classes)
    words, labels = torch.randint(WORDS, (TEXTS, LENGTH)), torch.arange(TEXTS) % classes
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    record = dict(model=model, penalty=kind, weight=weight, classes=classes, words=words.flatten().tolist(),
                  labels=labels.tolist(), start=net.parts(), losses=[], penalties=[])
    for step in range(5):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * (1 - step / 5)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(words), labels)
        extra = penalty(kind, weight, net, words, labels)
        (loss + extra).backward()
        optimizer.step()
        record["losses"].append(loss.item())
        record["penalties"].append(extra.item())
    with torch.no_grad():
        record["scores"] = net(words).flatten().tolist()
    return record


models = ["logistic", "mlp", "cnn", "gru", "bilstm"]
cases = [case(m, k, w, 2 + (i + j) % 2, 10 * i + j) for i, m in enumerate(models)
         for j, (k, w) in enumerate([("none", 0.0), ("wmmd", 10.0), ("biwmmd", 10.0), ("l1", 1.0), ("group-lasso", 1.0)])]
print(json.dumps(dict(made_by="golden_torch.py, PyTorch " + torch.__version__, cases=cases), separators=(",", ":")))
