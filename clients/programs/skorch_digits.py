"""skorch: a classifier inside a scikit-learn pipeline, searched over a grid, kept in a file."""

import pickle

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping, EpochScoring
from torch import nn


class Net(nn.Module):
    def __init__(self, width=32, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(64, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, 10), nn.Softmax(dim=-1)
        )

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(0)
digits = load_digits()
x, x_test, y, y_test = train_test_split(digits.data.astype("float32"), digits.target, random_state=0)
net = NeuralNetClassifier(
    Net,
    max_epochs=15,
    lr=0.1,
    iterator_train__shuffle=True,
    verbose=0,
    callbacks=[EpochScoring("accuracy", name="train_acc", on_train=True, lower_is_better=False), EarlyStopping()],
)
pipeline = Pipeline([("scale", StandardScaler()), ("net", net)])
search = GridSearchCV(pipeline, {"net__module__width": [16, 64], "net__lr": [0.05, 0.1]}, cv=2, scoring="accuracy")
search.fit(x, y)
score = search.score(x_test, y_test)
again = pickle.loads(pickle.dumps(search.best_estimator_))
print(f"accuracy {score:.3f}, losses {net.fit(x, y).history[:3, 'train_loss']}")
assert score > 0.9 and (again.predict(x_test) == search.predict(x_test)).all()
